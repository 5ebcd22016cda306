export type Group = 'hour' | 'day' | 'week' | 'month'

export interface DateFormat {
  /** Time zone of moments. */
  zone: string

  /** Label of a bucket on an axis: `14:00`, `23 Oct`, `Oct 2026`. */
  axis(label: string, group: Group): string
  /** Name of a bucket in full: `Sunday, 15 November 2026`. */
  bucket(label: string, group: Group): string
  /** Day and time to the minute. */
  time(moment: string | Date): string
  /** The day on which a moment lies in the zone. */
  date(moment: string | Date): string
  /** Time of the day, with seconds. */
  clock(moment: string | Date): string
  /** A calendar day, `YYYY-MM-DD`, or the day of a moment. */
  day(day: string): string
  /** Two calendar days: `1–30 Nov 2026`. */
  days(from: string, to: string): string
  /** `3 minutes ago`. */
  ago(moment: string | Date, now: Date): string
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/** @param zone time zone of moments; that of the reader by default */
export function dateFormat(locale: string, zone?: string): DateFormat {
  const make = (options: Intl.DateTimeFormatOptions) => {
    // Formatters are expensive to make, and a page needs few of them.
    let format: Intl.DateTimeFormat | undefined
    return () => (format ??= new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }))
  }
  const axis: Record<Group, () => Intl.DateTimeFormat> = {
    hour: make({ hour: 'numeric', minute: '2-digit' }),
    day: make({ day: 'numeric', month: 'short' }),
    week: make({ day: 'numeric', month: 'short' }),
    month: make({ month: 'short', year: 'numeric' }),
  }
  const full = make({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const bucket: Record<Group, () => Intl.DateTimeFormat> = {
    hour: make({ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }),
    day: full,
    week: full,
    month: make({ month: 'long', year: 'numeric' }),
  }
  const time = make({ dateStyle: 'medium', timeStyle: 'short' })
  const date = make({ day: 'numeric', month: 'short', year: 'numeric' })
  const clock = make({ timeStyle: 'medium' })
  const day = make({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const asDay = (text: string) => new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return {
    zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    axis: (label, group) => axis[group]().format(new Date(label)),
    bucket: (label, group) => bucket[group]().format(new Date(label)),
    time: moment => time().format(new Date(moment)),
    date: moment => date().format(new Date(moment)),
    clock: moment => clock().format(new Date(moment)),
    day: text => day().format(asDay(text)),
    days: (from, to) => day().formatRange(asDay(from), asDay(to)),
    ago(moment, now) {
      let value = (new Date(moment).getTime() - now.getTime()) / 1000
      for (const [unit, size] of STEPS) {
        if (Math.abs(value) < size) return relative.format(Math.round(value), unit)
        value /= size
      }
      return ''
    },
  }
}
