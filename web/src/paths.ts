// Where the pages are. The server answers these addresses with the app, and no others.
import routes from './routes.json';

export { routes };

/** pathOf returns a page's address: pathOf('post', id). */
export function pathOf(route: keyof typeof routes, parameter = ''): string {
  return routes[route].replace(/:\w+/, encodeURIComponent(parameter));
}
