import { Link } from 'wouter'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './no-data.module.css'

/** The overview of a site that has received nothing yet. */
export function NoData() {
  const { overview: text } = useText()
  const { isMember } = useSite()
  return (
    <div className={css.box}>
      <h1>{text.noData}</h1>
      <p>{text.noDataHint}</p>
      {isMember && <Link href="/install">{text.install}</Link>}
    </div>
  )
}
