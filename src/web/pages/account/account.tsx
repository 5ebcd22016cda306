import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { NotFound } from '../../app/message-pages.tsx'
import { PlainLayout } from '../../app/plain-layout.tsx'
import { PartNav } from '../../parts/part-nav.tsx'
import type { Dictionary } from '../../text/languages/en.ts'
import { useText } from '../../text/text.tsx'
import { Devices } from './devices.tsx'
import { Display } from './display.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'
import { Teams } from './teams.tsx'

/** Parts of the page by the end of their address. */
const PARTS: Record<string, { label: keyof Dictionary['account']['parts']; Content: ComponentType }> = {
  '': { label: 'profile', Content: Profile },
  security: { label: 'security', Content: Security },
  devices: { label: 'devices', Content: Devices },
  display: { label: 'display', Content: Display },
  teams: { label: 'teams', Content: Teams },
}

/** The person's own login. */
export default function Account() {
  const { account } = useText()
  const { part = '' } = useParams<{ part?: string }>()
  const shown = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined
  if (!shown) return <NotFound />
  const { label, Content } = shown
  return (
    <PlainLayout title={`${account.parts[label]} · ${account.title}`}>
      <h1>{account.title}</h1>
      <PartNav
        base="/account"
        label={account.title}
        current={part}
        parts={Object.entries(PARTS).map(([path, each]) => ({ path, label: account.parts[each.label] }))}
      >
        <Content />
      </PartNav>
    </PlainLayout>
  )
}
