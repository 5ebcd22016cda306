import { useState } from 'react'
import { api, type Inputs, inTeam, type Outputs } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Editor } from '../../parts/editor.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { RowMenu } from '../../parts/overlay/menu.tsx'
import { FailureNote, Notice } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import { isManager, type Role, RoleFields, rolesToGive, SiteNames, type TeamProps } from './roles.tsx'
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
      <ListTable
        read={invitations}
        empty={text.noInvitations}
        label={text.parts.invitations}
        columns={columns}
        keyOf={({ id }) => id}
      />
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
          <RowMenu
            label={text.actionsFor(invitation.email)}
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
    () => api.invitations.revoke.mutate({ id: invitation.id }, { context: inTeam(team.id) }),
    [invitationsOf(team.id)],
  )
  return (
    <Confirm title={text.revokeInvitation} confirm={text.revoke} change={revoke} onClose={onClose}>
      <p>{text.revokeInvitationNote(invitation.email)}</p>
    </Confirm>
  )
}

interface Props extends TeamProps {
  onDone(opened: Opened): void
  onClose(): void
}

/** Invites an e-mail address to the team. */
function InviteDialog({ team, onDone, onClose }: Props) {
  const { team: text } = useText()
  const [role, setRole] = useState<Role>('member')
  const [siteIds, setSiteIds] = useState<string[] | null>(null)
  const create = useChange(
    (input: Inputs['invitations']['create']) =>
      api.invitations.create.mutate(input, { context: inTeam(team.id) }),
    [invitationsOf(team.id)],
  )
  return (
    <Editor
      title={text.invite}
      send={text.invite}
      change={create}
      inputOf={({ email = '' }) => ({ email, role, site_ids: isManager(role) ? null : siteIds })}
      problem={messagesAt(create.failure, 'site_ids')?.join(' · ')}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField label={text.email} name="email" type="email" required maxLength={255} />
      <RoleFields
        label={text.role}
        teamId={team.id}
        roles={rolesToGive(team.role)}
        {...{ role, setRole, siteIds, setSiteIds }}
      />
    </Editor>
  )
}

/** An invitation with its link. */
type Opened = Outputs['invitations']['create']

/** The link of an invitation, shown for the only time. */
function ShownLink({ opened, onClose }: { opened: Opened; onClose(): void }) {
  const { team } = useText()
  const { time } = usePlainFormat()
  const { email, url, mailed, expires_at } = opened
  return (
    <Dialog open title={team.link} onClose={onClose}>
      <div className={css.stack}>
        <Notice>{mailed ? team.mailed(email) : team.notMailed(email)}</Notice>
        {url !== null && <CodeBlock code={url} label={team.link} />}
        <p className={css.quiet}>{team.linkNote(time(expires_at))}</p>
      </div>
    </Dialog>
  )
}
