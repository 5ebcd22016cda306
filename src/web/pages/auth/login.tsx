import { Link, useSearch } from 'wouter'
import { type Methods, useMethods } from '../../app/person/signing.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Answer, Notice } from '../../parts/states.tsx'
import { leadTo, ownPath, useHash } from '../../state/places.ts'
import type { Dictionary } from '../../text/languages/en.ts'
import { useText } from '../../text/text.tsx'
import css from './auth-page.module.css'
import { AuthPage, Or, Stack } from './auth-page.tsx'
import { LoginForm, offersPasskeys, PasskeyButton, SsoButton, ssoAddress, Ways } from './ways.tsx'

const SECRET = /^[\w-]{43}$/

/** Signing in. What stands after `#` says why the person is here, or to which invitation they go on. */
export default function Login() {
  const { auth } = useText()
  const methods = useMethods()
  const reasons = new URLSearchParams(useHash())
  const returnTo = ownPath(new URLSearchParams(useSearch()).get('return_to'))
  const given = reasons.get('invite') ?? ''
  const invitation = SECRET.test(given) ? given : undefined
  if (reasons.has('proven'))
    return (
      <AuthPage title={auth.signIn}>
        <Notice>{auth.proven}</Notice>
      </AuthPage>
    )
  const goOn = () => leadTo(invitation === undefined ? returnTo : `/invite#${invitation}`)
  return (
    <AuthPage title={auth.signIn} intro={invitation && auth.thenAccept}>
      <Reason reasons={reasons} />
      <Answer read={methods}>
        {offered => <SignIn methods={offered} {...{ goOn, returnTo, invitation }} />}
      </Answer>
    </AuthPage>
  )
}

function Reason({ reasons }: { reasons: URLSearchParams }) {
  const { auth } = useText()
  const error = reasons.get('error')
  if (error !== null) {
    const known = auth.ssoErrors[error as keyof Dictionary['auth']['ssoErrors']]
    return <Notice isProblem>{Object.hasOwn(auth.ssoErrors, error) ? known : auth.ssoFailed}</Notice>
  }
  if (reasons.has('reset')) return <Notice>{auth.wasReset}</Notice>
  return reasons.has('ended') ? <Notice>{auth.ended}</Notice> : null
}

interface Props {
  methods: Methods
  goOn(): void
  returnTo: string
  invitation: string | undefined
}

function SignIn({ methods, goOn, returnTo, invitation }: Props) {
  const { auth } = useText()
  const { password, single_sign_on: sso } = methods
  const hasOthers = offersPasskeys(methods) || sso !== null
  if (!password && !hasOthers) return <p>{auth.noWay}</p>
  return (
    <Stack>
      {password && <LoginForm onDone={goOn} />}
      {password && hasOthers && <Or />}
      {hasOthers && (
        <Ways>
          {offersPasskeys(methods) && <PasskeyButton onDone={goOn} />}
          {sso && invitation !== undefined && <SsoButton name={sso.name} secret={invitation} />}
          {sso && invitation === undefined && (
            <ButtonLink href={ssoAddress(returnTo)}>{auth.signInWith(sso.name)}</ButtonLink>
          )}
        </Ways>
      )}
      {password && (
        <p className={css.foot}>
          {methods.has_mail ? <Link href="/reset">{auth.forgot}</Link> : auth.forgotWithoutMail}
        </p>
      )}
    </Stack>
  )
}
