import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { NotFound } from '../../app/message-pages.tsx'
import { useCurrentTeam } from '../../app/person/person.tsx'
import { NewTeam } from '../../app/person/teams.tsx'
import { PlainLayout } from '../../app/plain-layout.tsx'
import { PartNav } from '../../parts/part-nav.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Dictionary } from '../../text/languages/en.ts'
import { useText } from '../../text/text.tsx'
import { Invitations } from './invitations.tsx'
import { Log } from './log.tsx'
import { People } from './people.tsx'
import { isManager, type TeamProps } from './roles.tsx'
import { Settings } from './settings.tsx'
import { Tokens } from './tokens.tsx'

interface Part {
  label: keyof Dictionary['team']['parts']
  Content: ComponentType<TeamProps>
  /** Whether only owners and admins see it. */
  isManaged: boolean
}

/** Parts of the page by the end of their address. */
const PARTS: Record<string, Part> = {
  '': { label: 'people', Content: People, isManaged: false },
  invitations: { label: 'invitations', Content: Invitations, isManaged: true },
  tokens: { label: 'tokens', Content: Tokens, isManaged: false },
  log: { label: 'log', Content: Log, isManaged: true },
  settings: { label: 'settings', Content: Settings, isManaged: false },
}

/** The team in which the person acts. */
export default function TeamPage() {
  const { team: text, account } = useText()
  const { part = '' } = useParams<{ part?: string }>()
  const team = useCurrentTeam()
  if (!team) {
    return (
      <PlainLayout title={text.title}>
        <h1>{text.title}</h1>
        <Empty title={account.noTeam}>
          <NewTeam />
        </Empty>
      </PlainLayout>
    )
  }
  const parts = Object.entries(PARTS).filter(([, { isManaged }]) => !isManaged || isManager(team.role))
  const shown = parts.find(([path]) => path === part)?.[1]
  if (!shown) return <NotFound />
  const { label, Content } = shown
  return (
    <PlainLayout title={`${text.parts[label]} · ${team.name}`}>
      <h1>
        <bdi>{team.name}</bdi>
      </h1>
      <PartNav
        base="/team"
        label={text.title}
        current={part}
        parts={parts.map(([path, each]) => ({ path, label: text.parts[each.label] }))}
      >
        {/* A new page for each team: what was typed belongs to the one before. */}
        <Content key={team.id} team={team} />
      </PartNav>
    </PlainLayout>
  )
}
