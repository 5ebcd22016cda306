import { HostileText } from '../parts/hostile-text.tsx'
import css from './properties.module.css'

const MOST = 20

/** Properties of an event or of a user. */
export function Properties({ of: properties }: { of: Readonly<Record<string, string>> }) {
  const all = Object.entries(properties)
  if (all.length === 0) return null
  return (
    <dl className={css.list}>
      {all.slice(0, MOST).map(([key, value]) => (
        <div key={key}>
          <dt>
            <HostileText>{key}</HostileText>
          </dt>
          <dd>
            <HostileText>{value}</HostileText>
          </dd>
        </div>
      ))}
    </dl>
  )
}
