/** Wraps a function so that it never throws: a failure of the tracker must not affect the page. */
export const safe =
  <Args extends unknown[]>(run: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      run(...args)
    } catch {}
  }

/** Listens on the window in the capture phase, before the page's own listeners can stop an event. */
export function on<Kind extends Event>(types: string, listener: (event: Kind) => void): void {
  for (const type of types.split(' ')) {
    addEventListener(type, safe(listener) as (event: Event) => void, true)
  }
}
