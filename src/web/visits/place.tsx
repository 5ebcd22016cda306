import { useValueText } from '../filters/value-text.ts'
import { HostileText } from '../parts/hostile-text.tsx'
import css from './place.module.css'

interface Props {
  country: string
  /** More exact, if it is known. */
  city?: string
}

/** Where a visit came from: the code of the country, and its name or the city. */
export function Place({ country, city }: Props) {
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
