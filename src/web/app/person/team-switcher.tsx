import { queries } from '../../api/use-read.ts'
import { Menu } from '../../parts/overlay/menu.tsx'
import { useText } from '../../text/text.tsx'
import { actIn, PERSON, useCurrentTeam, usePerson } from './person.tsx'
import css from './team-switcher.module.css'

/** Acts in another team, and asks anew for everything that a page shows of one. */
export function switchTeam(id: string): void {
  actIn(id)
  void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== PERSON[0] })
}

/** Chooses the team, for people with several. */
export function TeamSwitcher() {
  const { common } = useText()
  const { teams } = usePerson()
  const current = useCurrentTeam()
  if (teams.length < 2 || !current) return null
  return (
    <Menu
      trigger={
        <>
          <bdi className={css.name}>{current.name}</bdi>
          <span aria-hidden="true">▾</span>
        </>
      }
      label={common.nav.chooseTeam}
      align="end"
      button={{ kind: 'quiet', 'aria-label': `${common.nav.chooseTeam}: ${current.name}` }}
      entries={teams.map(({ id, name }) => ({
        name: id,
        label: <bdi>{name}</bdi>,
        isChosen: id === current.id,
        onChoose: () => switchTeam(id),
      }))}
    />
  )
}
