import { useState } from 'react'
import { api, type Inputs, inTeam, type Outputs } from '../../api/client.ts'
import { messagesAt } from '../../api/failure.ts'
import { useChange } from '../../api/use-change.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Editor } from '../../parts/editor.tsx'
import { CheckField, SelectField, TextField } from '../../parts/form/field.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Notice } from '../../parts/states.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import { SiteLimit, type TeamProps } from './roles.tsx'
import css from './team.module.css'
import { type Token, tokensOf } from './team-reads.ts'

type Scope = Token['scopes'][number]

const SCOPES: readonly Scope[] = ['read', 'write', 'ingest', 'admin']
const DAY_MS = 86_400_000

/** Lifetimes in days to choose from; empty for no end. */
const LIFETIMES = ['', '30', '90', '365'] as const

interface Props extends TeamProps {
  onDone(created: Created): void
  onClose(): void
}

/** Makes a token that acts as the person. */
export function NewToken({ team, onDone, onClose }: Props) {
  const { team: text } = useText()
  const [scopes, setScopes] = useState<Scope[]>(['read'])
  const [siteIds, setSiteIds] = useState<string[] | null>(null)
  const create = useChange(
    (input: Inputs['tokens']['create']) => api.tokens.create.mutate(input, { context: inTeam(team.id) }),
    [tokensOf(team.id)],
  )
  const { failure } = create
  const toggle = (scope: Scope) =>
    setScopes(SCOPES.filter(each => scopes.includes(each) !== (each === scope)))
  const inputOf = ({ name = '', days = '' }: Record<string, string>) => {
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    return { name, scopes, site_ids: siteIds, expires_at }
  }
  const problem = messagesAt(failure, 'scopes') ?? messagesAt(failure, 'site_ids')
  return (
    <Editor
      title={text.newToken}
      send={text.makeToken}
      change={create}
      inputOf={inputOf}
      problem={problem?.join(' · ')}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField label={text.tokenName} hint={text.tokenNameHint} name="name" required maxLength={255} />
      <fieldset className={css.scopes}>
        <legend>{text.scopes}</legend>
        {SCOPES.map(scope => (
          <CheckField
            key={scope}
            label={text.scopeNames[scope]}
            hint={text.scopeHints[scope]}
            checked={scopes.includes(scope)}
            onChange={() => toggle(scope)}
          />
        ))}
      </fieldset>
      <SiteLimit teamId={team.id} value={siteIds} onChange={setSiteIds} />
      <SelectField
        label={text.worksUntil}
        name="days"
        defaultValue="90"
        options={LIFETIMES.map(days => ({ value: days, label: text.lifetimes[days] }))}
      />
    </Editor>
  )
}

export type Created = Outputs['tokens']['create']

/** A new token, shown for the only time, with a first call. */
export function ShownToken({ created, onClose }: { created: Created; onClose(): void }) {
  const { team } = useText()
  return (
    <Dialog open title={created.name} onClose={onClose}>
      <div className={css.stack}>
        <Notice>{team.keepToken}</Notice>
        <CodeBlock code={created.token} label={team.token} />
        {created.scopes.includes('read') && (
          <>
            <p>{team.tryToken}</p>
            <CodeBlock
              code={`curl -H 'Authorization: Bearer ${created.token}' \\\n  ${addressOf('/api/sites')}`}
              label={team.tryToken}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}
