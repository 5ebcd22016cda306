import { CardGrid } from '../../parts/card.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { CARDS } from './cards.ts'
import { Figures } from './figures.tsx'
import { GoalCard } from './goal-card.tsx'
import { NoData } from './no-data.tsx'
import { useHasTotals } from './use-has-totals.ts'
import { ValueCard } from './value-card.tsx'

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
