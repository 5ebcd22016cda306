import { type ReactNode, useEffect } from 'react'
import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import type { Methods } from '../../app/person/signing.ts'
import { Notice, Skeleton } from '../../parts/states.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { AuthPage, Or, useProblem } from './auth-page.tsx'
import { SsoButton, Ways } from './ways.tsx'

export type LinkInfo = Outputs['auth']['link']

/** Which page a link belongs to. */
const PAGES: Record<LinkInfo['purpose'], string> = {
  setup: '/setup',
  reset: '/reset',
  recover: '/reset',
  address: '/confirm-address',
}

interface Props {
  secret: string
  title: string
  /** Page that shows it. A link of another page leads there. */
  page: string
  children: (link: LinkInfo, methods: Methods) => ReactNode
  /** A way on when the link does not work, beside signing in. */
  wayOut?: ReactNode
}

/** Looks at the link of the address, and shows what it is for, or that it does not work. */
export function OpenedLink({ secret, title, page, children, wayOut }: Props) {
  const problemOf = useProblem()
  // The answer is new each time: a link works once.
  const opened = useRead(
    ['link', secret],
    async () => {
      const [link, methods] = await Promise.all([
        api.auth.link.mutate({ secret }),
        api.auth.methods.query(undefined),
      ])
      return { link, methods }
    },
    { keep: false },
  )
  const found = opened.data && PAGES[opened.data.link.purpose]
  const other = found === page ? undefined : found
  useEffect(() => {
    if (other !== undefined) location.replace(addressOf(`${other}#${secret}`))
  }, [other, secret])
  if (opened.data && other === undefined) return children(opened.data.link, opened.data.methods)
  return (
    <AuthPage title={title}>
      {opened.failure ? <Notice isProblem>{problemOf(opened.failure)}</Notice> : <Skeleton rows={4} />}
      {opened.failure && wayOut}
      {opened.failure && <ToLogin />}
    </AuthPage>
  )
}

export function ToLogin() {
  const { auth } = useText()
  return (
    <p>
      <Link href="/login">{auth.toLogin}</Link>
    </p>
  )
}

interface WaysProps {
  methods: Methods
  secret: string
  children: ReactNode
}

/** What a page with a link offers: a form for a password, single sign-on, or both. */
export function WaysWithLink({ methods, secret, children }: WaysProps) {
  const { password, single_sign_on: sso } = methods
  return (
    <>
      {password && children}
      {password && sso && <Or />}
      {sso && (
        <Ways>
          <SsoButton name={sso.name} secret={secret} />
        </Ways>
      )}
    </>
  )
}
