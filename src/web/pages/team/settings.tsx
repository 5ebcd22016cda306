import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, inTeam } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { NewTeam } from '../../app/person/new-team.tsx'
import { PERSON } from '../../app/person/person.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useText } from '../../text/text.tsx'
import { Ask } from './ask.tsx'
import { DeleteTeam } from './delete-team.tsx'
import { isManager, type TeamProps } from './roles.ts'
import css from './team.module.css'

/** The team itself: its name, leaving it, deleting it, making another one. */
export function Settings({ team }: TeamProps) {
  const { team: text, account } = useText()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'leave' | 'delete'>()
  const leave = useChange(
    async (_: undefined) => {
      await api.team.leave.mutate(undefined, { context: inTeam(team.id) })
      return true as const
    },
    [PERSON],
  )
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
        <Ask
          title={account.leaveTeam(team.name)}
          send={account.leave}
          change={leave}
          onDone={() => navigate('/')}
          onClose={close}
        >
          <p>{account.leaveNote}</p>
        </Ask>
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
        <Form
          send={common.actions.save}
          onSend={send}
          isSending={rename.isSending}
          failure={rename.failure}
          shows={['name']}
        >
          <TextField
            label={text.name}
            name="name"
            required
            maxLength={255}
            defaultValue={team.name}
            errors={messagesAt(rename.failure, 'name')}
          />
        </Form>
        {isSaved && <Notice>{account.saved}</Notice>}
      </div>
    </Card>
  )
}
