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

/** Cost is what the last operation is charged with, and the partitions that it read and wrote: a query no more than that. */
export function Cost() {
  const cost = useSyncExternalStore(subscribe, () => last);
  if (!cost) return null;
  const { estimated, limit, partitions, statements } = cost;
  return (
    <p className="cost" role="status">
      Cost {estimated}
      {limit > 0 && ` of ${limit}`}
      {partitions !== undefined && ` · touched ${partitions} partition${partitions === 1 ? '' : 's'} by ${statements} statement${statements === 1 ? '' : 's'}`}
    </p>
  );
}
