import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, type Team, useCurrentTeam, usePerson } from '../../app/person/person.tsx'
import { NewTeam, switchTeam } from '../../app/person/teams.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

/** Teams of the person. */
export function Teams() {
  const { account, team } = useText()
  const { teams } = usePerson()
  const current = useCurrentTeam()
  const [, navigate] = useLocation()
  const [left, setLeft] = useState<Team>()
  const open = ({ id }: Team) => {
    switchTeam(id)
    navigate('/team')
  }
  return (
    <Card title={account.parts.teams}>
      {teams.length === 0 && <Empty title={account.noTeam} />}
      <ul className={css.rows}>
        {teams.map(each => (
          <li key={each.id}>
            <div>
              <span className={css.line}>
                <bdi>{each.name}</bdi>
                {each.id === current?.id && teams.length > 1 && (
                  <span className={`${css.tag} ${css.good}`}>{account.currentTeam}</span>
                )}
              </span>
              <p>{team.roles[each.role]}</p>
            </div>
            <span className={css.line}>
              <Button aria-label={`${account.openTeam}: ${each.name}`} onClick={() => open(each)}>
                {account.openTeam}
              </Button>
              <Button aria-label={`${account.leave}: ${each.name}`} onClick={() => setLeft(each)}>
                {account.leave}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <NewTeam />
      {left && <LeaveTeam team={left} onClose={() => setLeft(undefined)} />}
    </Card>
  )
}

function LeaveTeam({ team, onClose }: { team: Team; onClose(): void }) {
  const { account } = useText()
  const leave = useChange(() => api.team.leave.mutate(undefined, { context: inTeam(team.id) }), [PERSON])
  return (
    <Confirm title={account.leaveTeam(team.name)} confirm={account.leave} change={leave} onClose={onClose}>
      <p>{account.leaveNote}</p>
    </Confirm>
  )
}
