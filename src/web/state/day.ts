const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Whether a text is a day of the calendar, `YYYY-MM-DD`; 30 February is none. */
export function isDay(text: string | null): text is string {
  if (text === null || !DAY.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
