import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { queries } from '../../api/use-read.ts'
import { Editor } from '../../parts/editor.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Menu } from '../../parts/overlay/menu.tsx'
import { useText } from '../../text/text.tsx'
import css from './person.module.css'
import { actIn, PERSON, useCurrentTeam, usePerson } from './person.tsx'

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

/** Makes a team, and acts in it. */
export function NewTeam() {
  const { team } = useText()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const create = useChange((name: string) => api.teams.create.mutate({ name }), [PERSON])
  const begin = ({ id }: { id: string }) => {
    switchTeam(id)
    setOpen(false)
    navigate('/team')
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{team.newTeam}</Button>
      {isOpen && (
        <Editor
          title={team.newTeam}
          send={team.create}
          change={create}
          inputOf={({ name = '' }) => name}
          onDone={begin}
          onClose={() => setOpen(false)}
        >
          <TextField label={team.name} hint={team.newTeamHint} name="name" required maxLength={255} />
        </Editor>
      )}
    </>
  )
}
