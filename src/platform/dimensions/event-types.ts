/** Types of the rows that count as events. `engagement` and `identify` rows are hidden from every log and count. */
export const EVENT_TYPES = [
  'pageview',
  'event',
  'outbound',
  'download',
  'button',
  'form',
  'copy',
  'error',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
