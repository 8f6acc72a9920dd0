// Parts that are loaded when they are first shown, and what becomes of one that does not come.
import { lazy, type ComponentType } from 'react';
import { routes } from './paths';

/** NotLoaded says that a part did not come. After renew, whoever shows it next asks for it again. */
export class NotLoaded extends Error {
  constructor(
    cause: unknown,
    readonly renew: () => void,
  ) {
    super('A part of the page could not be loaded.', { cause });
  }
}

/**
 * lazily is React's lazy for a network that fails: lazy alone would keep a failure for ever. A part
 * that a new release took away can't come: then the page is loaded anew.
 */
export function lazily<Props extends object, Module extends { default: ComponentType<Props> }>(load: () => Promise<Module & { default: ComponentType<Props> }>) {
  let Part: ComponentType<Props> = lazy(attempt);
  async function attempt() {
    const attempted = Part;
    try {
      return await load();
    } catch (cause) {
      if (await reloads()) return new Promise<never>(() => {}); // this page ends
      throw new NotLoaded(cause, () => {
        if (Part === attempted) Part = lazy(attempt);
      });
    }
  }
  function Lazily(props: Props) {
    return <Part {...props} />;
  }
  /** load loads it before it is shown, which then waits for nothing. */
  Lazily.load = async () => {
    const module = await load();
    Part = module.default;
    return module;
  };
  return Lazily;
}

const lastReload = 'broadsheet.reloaded';
const rest = 60_000; // in milliseconds, between two reloads: servers of two releases may answer in turn

/** reloads begins to load the page anew where the server has another release, and says whether it did. */
async function reloads(): Promise<boolean> {
  try {
    const answer = await fetch(routes.write, { cache: 'no-store' }); // which is there whatever the store is
    if (!answer.ok || ofThisRelease(await answer.text())) return false;
    if (Date.now() - Number(sessionStorage.getItem(lastReload)) < rest) return false;
    sessionStorage.setItem(lastReload, String(Date.now()));
  } catch {
    return false; // offline, or a browser that keeps nothing
  }
  location.reload();
  return true;
}

/** ofThisRelease says whether a page begins with the same script as this one: each build's has a name of its own. */
function ofThisRelease(page: string): boolean {
  const own = document.querySelector('script[type=module]')?.getAttribute('src');
  return page.includes(`"${own}"`);
}
