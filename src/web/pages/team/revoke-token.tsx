import { useState } from 'react'
import { api, inTeam } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { CheckField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'
import { Ask } from './ask.tsx'
import type { TeamProps } from './roles.ts'
import { type Token, tokensOf } from './team-reads.ts'

/** Ends a token, and on demand those that programs made with it. */
export function RevokeToken({ team, token, onClose }: TeamProps & { token: Token; onClose(): void }) {
  const { team: text } = useText()
  const [cascade, setCascade] = useState(true)
  const revoke = useChange(
    async (_: undefined) => {
      await api.tokens.revoke.mutate({ id: token.id, cascade }, { context: inTeam(team.id) })
      return true as const
    },
    [tokensOf(team.id)],
  )
  return (
    <Ask
      title={text.revokeToken(token.name)}
      send={text.revoke}
      change={revoke}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{text.revokeTokenNote}</p>
      <CheckField
        label={text.cascade}
        checked={cascade}
        onChange={event => setCascade(event.currentTarget.checked)}
      />
    </Ask>
  )
}
