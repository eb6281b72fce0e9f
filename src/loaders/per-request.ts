/** Creates state for each request, by its context. It is dropped with the request. */
export function perRequest<T>(create: () => T): (ctx: object) => T {
  const states = new WeakMap<object, T>();
  return (ctx) => {
    const state = states.get(ctx) ?? create();
    states.set(ctx, state);
    return state;
  };
}
