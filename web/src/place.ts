// Where a page was left: what a browser keeps of a page that it has whole, for one whose lists come in pages.
const navigation = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined;
const key = () => `place ${location.pathname}${location.search}`;

const arrival = { back: !!navigation && navigation.type !== 'navigate', place: 0 };
try {
  if (navigation?.type === 'reload') arrival.place = Number(sessionStorage.getItem(key()));
  addEventListener('pagehide', () => sessionStorage.setItem(key(), String(scrollY)));
} catch {
  // The browser keeps nothing: a list begins at its top.
}

/** arrived notes how a page was come to: by way back or forward, or by a link. */
export function arrived(back: boolean) {
  Object.assign(arrival, { back, place: 0 });
}

/** cameBack says that the page is to be where it was left, whatever its address names. */
export const cameBack = () => arrival.back;

/** returned goes to where the page was before it was reloaded, and is false where it is too short for that. */
export function returned(whole: boolean): boolean {
  if (!arrival.place) return true;
  if (!whole && document.documentElement.scrollHeight < arrival.place + innerHeight) return false;
  scrollTo(0, arrival.place);
  arrival.place = 0;
  return true;
}
