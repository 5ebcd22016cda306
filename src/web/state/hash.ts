import { useSyncExternalStore } from 'react'

/** What stands after `#` in the address; another link in the same tab changes it without a reload. Secrets stand there: no server gets it. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1))

function subscribe(listener: () => void) {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
