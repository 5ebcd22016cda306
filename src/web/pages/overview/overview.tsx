import { Link } from 'wouter'
import { CardGrid } from '../../parts/card.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Figures } from './figures.tsx'
import { GoalCard } from './goal-card.tsx'
import { useHasTotals } from './metrics.ts'
import css from './overview.module.css'
import { CARDS, ValueCard } from './value-card.tsx'

/** The first page of a site: its numbers, their course over time, and where they come from. */
export default function Overview() {
  const { overview: text } = useText()
  const site = useSite()
  const hasTotals = useHasTotals()
  if (!site.hasData && !hasTotals) return <NoData />
  return (
    <>
      <h1 className="only-read">{site.domain}</h1>
      {site.can('traffic') && <Figures />}
      <CardGrid>
        {CARDS.filter(({ section }) => site.can(section)).map(card => (
          <ValueCard key={card.name} card={card} label={text.cardLabels[card.name]} />
        ))}
        {(site.can('goals') || site.can('events')) && <GoalCard />}
      </CardGrid>
    </>
  )
}

/** The overview of a site that has received nothing yet. */
function NoData() {
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
