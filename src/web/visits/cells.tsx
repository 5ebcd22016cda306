import { useValueText } from '../filters/filter-text.ts'
import { useFormat } from '../format/format.ts'
import { HostileText } from '../parts/hostile-text.tsx'
import css from './visits.module.css'

/** Day and time in one short line; the year is in the tooltip. */
export function Moment({ at }: { at: string }) {
  const format = useFormat()
  return (
    <time className={css.moment} dateTime={at} title={format.time(at)}>
      {format.bucket(at, 'hour')}
    </time>
  )
}

interface Props {
  /** Minor units; null where the reader may not see it, or beyond what numbers can be exact about. */
  minor: number | null
  /** Of the amount; that of the site by default. */
  currency?: string
  /** Whether a gain has its sign. */
  isSigned?: boolean
}

/** An amount of money, with every digit in its tooltip. Nothing is a dash. */
export function Amount({ minor, currency, isSigned }: Props) {
  const format = useFormat()
  if (!minor) return <span className={css.none}>–</span>
  const exact = format.exactMoney(minor, currency)
  const shown = currency === undefined ? format.money(minor) : exact
  return <span title={exact}>{isSigned && minor > 0 ? `+${shown}` : shown}</span>
}

interface PlaceProps {
  country: string
  /** More exact, if it is known. */
  city?: string
}

/** Where a visit came from: the code of the country, and its name or the city. */
export function Place({ country, city }: PlaceProps) {
  const textOf = useValueText()
  if (country === '') return <span className={css.unknown}>–</span>
  const name = textOf('country', country)
  return (
    <span className={css.place} title={name}>
      <span className={css.code}>{country}</span>
      <HostileText>{city || name}</HostileText>
    </span>
  )
}

interface Device {
  size?: string
  /** The same, under the name that the event log has. */
  device?: string
  browser: string
  os: string
}

/** Returns a device in one line: `Phone · Safari · iOS`. */
export function useDeviceText(): (device: Device) => string {
  const textOf = useValueText()
  return ({ size, device, browser, os }) => {
    const kind = size || device
    return [kind && textOf('size', kind), browser, os].filter(Boolean).join(' · ') || '–'
  }
}

/** A number, short, with every digit in its tooltip. */
export function Count({ value }: { value: number }) {
  const format = useFormat()
  return <span title={format.exact(value)}>{format.count(value)}</span>
}
