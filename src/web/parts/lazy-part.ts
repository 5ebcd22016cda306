import { type ComponentType, lazy, useSyncExternalStore } from 'react'
import { isReachable } from '../api/connection.ts'

let isMissing = false
const listeners = new Set<() => void>()

/** Whether a part of the page could not be loaded. */
export const useMissingPart = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isMissing,
  )

/** A part of a page whose code is loaded when it is needed. When that fails nothing stands in its place, and the page says so. */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() =>
    load().catch((): { default: ComponentType<Props> } => {
      void isReachable()
      isMissing = true
      for (const listener of listeners) listener()
      return { default: () => null }
    }),
  )
}
