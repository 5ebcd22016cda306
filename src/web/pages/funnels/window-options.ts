import { useText } from '../../text/text.tsx'
import type { Funnel } from './draft.ts'

/** Returns how long all steps may take, also a time that was set elsewhere. */
export function useWindowOptions(current?: Funnel['window']): { value: string; label: string }[] {
  const { funnels: text } = useText()
  const known = ['session', '3600', '86400', '604800', '2592000'] as const
  const options = known.map(value => ({ value: value as string, label: text.windows[value] }))
  const own = current === undefined ? undefined : String(current)
  if (own === undefined || options.some(({ value }) => value === own)) return options
  return [...options, { value: own, label: text.windowOf(hours(Number(own))) }]
}

const hours = (seconds: number) => String(Math.round(seconds / 360) / 10)

/** Returns how long all steps of a funnel may take. */
export function useWindowText(): (window: Funnel['window']) => string {
  const { funnels: text } = useText()
  const names: Record<string, string> = text.windows
  return window => names[String(window)] ?? text.windowOf(hours(Number(window)))
}
