import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, type Inputs, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { PERSON } from '../../app/person/person.tsx'
import { ProofField } from '../../app/person/proof.tsx'
import { NewTeam } from '../../app/person/teams.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Editor } from '../../parts/editor.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import { isManager, type TeamProps } from './roles.tsx'
import css from './team.module.css'

/** The team itself: its name, leaving it, deleting it, making another one. */
export function Settings({ team }: TeamProps) {
  const { team: text, account } = useText()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'leave' | 'delete'>()
  const leave = useChange(() => api.team.leave.mutate(undefined, { context: inTeam(team.id) }), [PERSON])
  const close = () => setAsked(undefined)
  return (
    <>
      {isManager(team.role) && <TeamName team={team} />}
      <Card title={text.newTeam} note={text.newTeamHint}>
        <NewTeam />
      </Card>
      <Card title={text.danger}>
        <div className={css.line}>
          <Button kind="danger" onClick={() => setAsked('leave')}>
            {text.leaveThis}
          </Button>
          {team.role === 'owner' && (
            <Button kind="danger" onClick={() => setAsked('delete')}>
              {text.deleteTeam}
            </Button>
          )}
        </div>
      </Card>
      {asked === 'leave' && (
        <Confirm
          title={account.leaveTeam(team.name)}
          confirm={account.leave}
          change={leave}
          onDone={() => navigate('/')}
          onClose={close}
        >
          <p>{account.leaveNote}</p>
        </Confirm>
      )}
      {asked === 'delete' && <DeleteTeam team={team} onClose={close} />}
    </>
  )
}

function TeamName({ team }: TeamProps) {
  const { team: text, account, common } = useText()
  const { day } = usePlainFormat()
  const key = ['team', team.id]
  const read = useRead(key, signal => api.team.get.query(undefined, { signal, context: inTeam(team.id) }))
  const [isSaved, setSaved] = useState(false)
  const rename = useChange(
    (name: string) => api.team.rename.mutate({ name }, { context: inTeam(team.id) }),
    [PERSON, key],
  )
  const send = async ({ name = '' }: Record<string, string>) => {
    setSaved(false)
    setSaved((await rename.send(name)) !== undefined)
  }
  const { plan, trial_ends_at } = read.data ?? {}
  return (
    <Card
      title={text.name}
      note={
        plan &&
        `${text.plan}: ${text.plans[plan]}${trial_ends_at ? `, ${text.until(day(trial_ends_at))}` : ''}`
      }
    >
      <div className={`${css.stack} ${css.narrow}`}>
        <Form send={common.actions.save} onSend={send} isSending={rename.isSending} failure={rename.failure}>
          <TextField label={text.name} name="name" required maxLength={255} defaultValue={team.name} />
        </Form>
        {isSaved && <Notice>{account.saved}</Notice>}
      </div>
    </Card>
  )
}

/** Deletes the team with all its sites, once its name has been typed. */
function DeleteTeam({ team, onClose }: TeamProps & { onClose(): void }) {
  const { team: text } = useText()
  const [, navigate] = useLocation()
  const remove = useChange(
    (input: Inputs['team']['delete']) => api.team.delete.mutate(input, { context: inTeam(team.id) }),
    [PERSON],
  )
  return (
    <Editor
      title={text.deleteTeam}
      send={text.deleteTeam}
      kind="danger"
      change={remove}
      inputOf={({ name = '', password }) => ({ name, password })}
      onDone={() => navigate('/')}
      onClose={onClose}
    >
      <p>{text.deleteNote}</p>
      <TextField label={text.typeName(team.name)} name="name" required autoComplete="off" />
      <ProofField />
    </Editor>
  )
}
