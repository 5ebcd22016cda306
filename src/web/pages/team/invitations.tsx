import { useState } from 'react'
import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Menu } from '../../parts/overlay/menu.tsx'
import { Empty, FailureNote } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import { Ask } from './ask.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { rolesToGive, type TeamProps } from './roles.ts'
import { type Opened, ShownLink } from './shown-link.tsx'
import { SiteNames } from './site-limit.tsx'
import css from './team.module.css'
import { type Invitation, invitationsOf, useInvitations } from './team-reads.ts'

/** Invitations that no person has accepted yet. */
export function Invitations({ team }: TeamProps) {
  const { team: text } = useText()
  const invitations = useInvitations(team.id)
  const [isInviting, setInviting] = useState(false)
  const [opened, setOpened] = useState<Opened>()
  const [revoked, setRevoked] = useState<Invitation>()
  const resend = useChange(
    (id: string) => api.invitations.resend.mutate({ id }, { context: inTeam(team.id) }),
    [invitationsOf(team.id)],
  )
  const columns = useColumns(team, {
    resend: async ({ id }) => setOpened(await resend.send(id)),
    revoke: setRevoked,
  })
  const show = (made: Opened) => {
    setInviting(false)
    setOpened(made)
  }
  return (
    <Card
      title={text.parts.invitations}
      action={
        <Button kind="main" onClick={() => setInviting(true)}>
          {text.invite}
        </Button>
      }
      note={text.invitationsNote}
    >
      {resend.failure && <FailureNote failure={resend.failure} />}
      <Answer read={invitations}>
        {list =>
          list.length === 0 ? (
            <Empty title={text.noInvitations} />
          ) : (
            <DataTable label={text.parts.invitations} columns={columns} rows={list} keyOf={({ id }) => id} />
          )
        }
      </Answer>
      {isInviting && <InviteDialog team={team} onDone={show} onClose={() => setInviting(false)} />}
      {opened && <ShownLink opened={opened} onClose={() => setOpened(undefined)} />}
      {revoked && <Revoke team={team} invitation={revoked} onClose={() => setRevoked(undefined)} />}
    </Card>
  )
}

interface Actions {
  resend(invitation: Invitation): void
  revoke(invitation: Invitation): void
}

function useColumns(team: TeamProps['team'], { resend, revoke }: Actions): Column<Invitation>[] {
  const { team: text } = useText()
  const { time } = usePlainFormat()
  return [
    { name: 'email', label: text.email, cell: ({ email }) => <bdi className={css.name}>{email}</bdi> },
    { name: 'role', label: text.role, cell: ({ role }) => text.roles[role] },
    {
      name: 'sites',
      label: text.sites,
      isWide: true,
      cell: ({ site_ids }) => <SiteNames teamId={team.id} ids={site_ids} />,
    },
    { name: 'by', label: text.invitedBy, isWide: true, cell: ({ invited_by }) => <bdi>{invited_by}</bdi> },
    {
      name: 'expires',
      label: text.worksUntil,
      cell: ({ expires_at }) =>
        new Date(expires_at) > new Date() ? (
          time(expires_at)
        ) : (
          <span className={`${css.tag} ${css.old}`}>{text.expired}</span>
        ),
    },
    {
      name: 'actions',
      label: '',
      isNumber: true,
      cell: invitation =>
        rolesToGive(team.role).includes(invitation.role) && (
          <Menu
            trigger="⋯"
            label={text.actionsFor(invitation.email)}
            align="end"
            button={{ kind: 'quiet', className: css.menu, 'aria-label': text.actionsFor(invitation.email) }}
            entries={[
              { name: 'resend', label: text.resend, onChoose: () => resend(invitation) },
              { name: 'revoke', label: text.revoke, isDanger: true, onChoose: () => revoke(invitation) },
            ]}
          />
        ),
    },
  ]
}

function Revoke({ team, invitation, onClose }: TeamProps & { invitation: Invitation; onClose(): void }) {
  const { team: text } = useText()
  const revoke = useChange(
    async (_: undefined) => {
      await api.invitations.revoke.mutate({ id: invitation.id }, { context: inTeam(team.id) })
      return true as const
    },
    [invitationsOf(team.id)],
  )
  return (
    <Ask title={text.revokeInvitation} send={text.revoke} change={revoke} onDone={onClose} onClose={onClose}>
      <p>{text.revokeInvitationNote(invitation.email)}</p>
    </Ask>
  )
}
