import { useState } from 'react'
import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Editor } from '../../parts/editor.tsx'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { RowMenu } from '../../parts/overlay/menu.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { type Created, NewToken, ShownToken } from './new-token.tsx'
import { isManager, SiteNames, type TeamProps } from './roles.tsx'
import css from './team.module.css'
import { type Token, tokensOf, useTokens } from './team-reads.ts'

type Action = 'rename' | 'revoke'

/** Tokens for programs: one's own, for owners and admins those of the team. */
export function Tokens({ team }: TeamProps) {
  const { team: text, common } = useText()
  const tokens = useTokens(team.id)
  const [isMaking, setMaking] = useState(false)
  const [created, setCreated] = useState<Created>()
  const [chosen, setChosen] = useState<{ token: Token; action: Action }>()
  const mayChange = team.role !== 'viewer'
  const columns = useColumns(team, (token, action) => setChosen({ token, action }))
  const show = (made: Created) => {
    setMaking(false)
    setCreated(made)
  }
  const props = chosen && { team, token: chosen.token, onClose: () => setChosen(undefined) }
  return (
    <Card
      title={text.parts.tokens}
      action={
        mayChange && (
          <Button kind="main" onClick={() => setMaking(true)}>
            {text.newToken}
          </Button>
        )
      }
      note={
        <>
          {text.tokensNote} <a href={addressOf('/docs')}>{common.nav.apiReference}</a>
        </>
      }
    >
      <ListTable
        read={tokens}
        empty={text.noTokens}
        label={text.parts.tokens}
        columns={columns}
        keyOf={({ id }) => id}
      />
      {isMaking && <NewToken team={team} onDone={show} onClose={() => setMaking(false)} />}
      {created && <ShownToken created={created} onClose={() => setCreated(undefined)} />}
      {props && chosen.action === 'rename' && <RenameToken {...props} />}
      {props && chosen.action === 'revoke' && <RevokeToken {...props} />}
    </Card>
  )
}

function useColumns(
  team: TeamProps['team'],
  onAction: (token: Token, action: Action) => void,
): Column<Token>[] {
  const { team: text } = useText()
  const { time } = usePlainFormat()
  return [
    {
      name: 'name',
      label: text.tokenName,
      cell: token => (
        <div className={css.name}>
          <bdi>{token.name}</bdi>
          {isManager(team.role) && <p className={css.quiet}>{token.user_email}</p>}
        </div>
      ),
    },
    {
      name: 'scopes',
      label: text.scopes,
      isWide: true,
      cell: ({ scopes }) => scopes.map(scope => text.scopeNames[scope]).join(', '),
    },
    {
      name: 'sites',
      label: text.sites,
      isWide: true,
      cell: ({ site_ids }) => <SiteNames teamId={team.id} ids={site_ids} />,
    },
    {
      name: 'used',
      label: text.lastUsed,
      isWide: true,
      cell: ({ last_used_at }) => (last_used_at ? time(last_used_at) : text.never),
    },
    { name: 'expires', label: text.worksUntil, cell: token => <Expiry at={token.expires_at} /> },
    {
      name: 'actions',
      label: '',
      isNumber: true,
      cell: token =>
        team.role !== 'viewer' && (
          <RowMenu
            label={text.actionsFor(token.name)}
            entries={[
              { name: 'rename', label: text.rename, onChoose: () => onAction(token, 'rename') },
              {
                name: 'revoke',
                label: text.revoke,
                isDanger: true,
                onChoose: () => onAction(token, 'revoke'),
              },
            ]}
          />
        ),
    },
  ]
}

function Expiry({ at }: { at: string | null }) {
  const { team } = useText()
  const { time } = usePlainFormat()
  if (at === null) return team.noEnd
  return new Date(at) > new Date() ? (
    time(at)
  ) : (
    <span className={`${css.tag} ${css.old}`}>{team.expired}</span>
  )
}

function RenameToken({ team, token, onClose }: TeamProps & { token: Token; onClose(): void }) {
  const { team: text } = useText()
  const rename = useChange(
    (name: string) => api.tokens.rename.mutate({ id: token.id, name }, { context: inTeam(team.id) }),
    [tokensOf(team.id)],
  )
  return (
    <Editor title={text.rename} change={rename} inputOf={({ name = '' }) => name} onClose={onClose}>
      <TextField label={text.tokenName} name="name" required maxLength={255} defaultValue={token.name} />
    </Editor>
  )
}

/** Ends a token, and on demand those that programs made with it. */
function RevokeToken({ team, token, onClose }: TeamProps & { token: Token; onClose(): void }) {
  const { team: text } = useText()
  const [cascade, setCascade] = useState(true)
  const revoke = useChange(
    () => api.tokens.revoke.mutate({ id: token.id, cascade }, { context: inTeam(team.id) }),
    [tokensOf(team.id)],
  )
  return (
    <Confirm title={text.revokeToken(token.name)} confirm={text.revoke} change={revoke} onClose={onClose}>
      <p>{text.revokeTokenNote}</p>
      <CheckField
        label={text.cascade}
        checked={cascade}
        onChange={event => setCascade(event.currentTarget.checked)}
      />
    </Confirm>
  )
}
