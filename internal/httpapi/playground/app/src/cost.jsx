import { useSyncExternalStore } from 'react';

let last; // what the last operation cost, undefined where that is not known
let listener = () => {};

/** show has the page show a cost. */
export function show(cost) {
  last = cost;
  listener();
}

const subscribe = (changed) => {
  listener = changed;
  return () => (listener = () => {});
};

/** Cost is what the last operation cost: the partitions that it may have read, and those that it did. */
export function Cost() {
  const cost = useSyncExternalStore(subscribe, () => last);
  if (!cost) return null;
  const { estimated, limit, partitions, statements } = cost;
  return (
    <p className="cost" role="status">
      Cost {estimated}
      {limit > 0 && ` of ${limit}`} partitions at most
      {partitions !== undefined && ` · read ${partitions} by ${statements} statement${statements === 1 ? '' : 's'}`}
    </p>
  );
}
