import { useEffect, useRef } from 'react'

/** What a key does. Two keys one after the other are written `g m`. */
export type Keys = Readonly<Record<string, () => void>>

const PAIR_MS = 1_000

/** Listens for keys while the person types nowhere else. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let first: { key: string; at: number } | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event)) return
      const pair = first && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${event.key}` : undefined
      first = { key: event.key, at: event.timeStamp }
      const action = (pair !== undefined ? latest.current[pair] : undefined) ?? latest.current[event.key]
      if (!action) return
      first = undefined
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !== null
  )
}
