import { useEffect, useState } from 'react'

const PAUSE_MS = 250

/** Returns a text as it was when the typing last paused: the service is asked once, not for each letter. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
