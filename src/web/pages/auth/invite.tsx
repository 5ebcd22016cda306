import { api, type Inputs, type Outputs } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { actIn } from '../../app/person/person.tsx'
import type { Methods } from '../../app/person/signing.ts'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Notice, Skeleton } from '../../parts/states.tsx'
import { addressOf, leadTo, useHash } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './auth-page.module.css'
import { AuthPage, focusFirst, Or, useProblem } from './auth-page.tsx'
import { EmailField, NameField, NewPasswordField } from './fields.tsx'
import { ToLogin, WaysWithLink } from './link.tsx'

interface Opened {
  invitation: Outputs['invitations']['lookUp']
  /** The signed-in person. */
  account: Outputs['account']['get'] | undefined
  methods: Methods
}

/** Joining a team, with the login of the browser, another one, or a new one. */
export default function Invite() {
  const secret = useHash()
  const { auth } = useText()
  const problemOf = useProblem()
  const opened = useRead(['invitation', secret], () => open(secret), { keep: false })
  if (opened.data) return <Invitation key={secret} {...opened.data} secret={secret} />
  return (
    <AuthPage title={auth.invitation}>
      {opened.failure ? <Notice isProblem>{problemOf(opened.failure)}</Notice> : <Skeleton rows={4} />}
      {opened.failure && <ToLogin />}
    </AuthPage>
  )
}

async function open(secret: string): Promise<Opened> {
  const [invitation, account, methods] = await Promise.all([
    api.invitations.lookUp.mutate({ secret }),
    api.account.get.query().catch(error => {
      if (failureOf(error).kind !== 'signed_out') throw error
      return undefined
    }),
    api.auth.methods.query(),
  ])
  return { invitation, account, methods }
}

function Invitation({ invitation, account, methods, secret }: Opened & { secret: string }) {
  const { auth, team } = useText()
  const problemOf = useProblem()
  const { team_name, role, email, needs_login } = invitation
  const accept = useChange((input: Inputs['invitations']['accept']) => api.invitations.accept.mutate(input))
  const { failure } = accept
  const send = async (fields: Omit<Inputs['invitations']['accept'], 'secret'>) => {
    const joined = await accept.send({ secret, ...fields })
    if (!joined) return
    actIn(joined.team_id)
    leadTo('/')
  }
  const form = { isSending: accept.isSending, failure, problem: problemOf(failure) }
  const signIn = <ButtonLink href={addressOf(`/login#invite=${secret}`)}>{auth.signInFirst}</ButtonLink>
  return (
    <AuthPage title={auth.join(team_name)} intro={auth.invites(invitation.invited_by, email, team_name)}>
      <p>
        <strong>{team.roles[role]}</strong> · {team.roleHints[role]}
      </p>
      {account && (
        <>
          <Form {...form} send={auth.joinTeam} onSend={() => send({})}>
            <EmailField label={auth.asLogin} readOnly defaultValue={account.email} />
          </Form>
          <Or />
          <LeaveButton />
        </>
      )}
      {!account && needs_login && (
        <>
          <p>{auth.hasLogin}</p>
          <div className={css.ways}>{signIn}</div>
        </>
      )}
      {!account && !needs_login && (
        <>
          <WaysWithLink methods={methods} secret={secret}>
            <div ref={focusFirst}>
              <Form
                {...form}
                send={auth.makeLogin}
                onSend={({ name, password }) => send({ name: name || undefined, password })}
              >
                <EmailField readOnly defaultValue={email} />
                <NameField />
                <NewPasswordField />
              </Form>
            </div>
          </WaysWithLink>
          <div className={`${css.foot} ${css.ways}`}>
            <p>{auth.otherLogin}</p>
            {signIn}
          </div>
        </>
      )}
    </AuthPage>
  )
}

/** Signs out, and shows the invitation again. */
function LeaveButton() {
  const { auth } = useText()
  const leave = useChange(async () => {
    await api.auth.logout.mutate()
    location.reload()
  })
  return (
    <div className={css.ways}>
      <Button isBusy={leave.isSending} onClick={() => leave.send()}>
        {auth.joinAsOther}
      </Button>
    </div>
  )
}
