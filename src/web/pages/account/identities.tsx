import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { ProofDialog } from '../../app/person/proof.tsx'
import type { Methods } from '../../app/person/signing.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Answer } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

type Identity = Outputs['identities']['list'][number]

const IDENTITIES = ['identities'] as const

/** Links to single sign-on; nothing where the service has none and the login no link. */
export function Identities({ sso }: { sso: Methods['single_sign_on'] }) {
  const { account } = useText()
  const { time } = usePlainFormat()
  const identities = useRead(IDENTITIES, signal => api.identities.list.query(undefined, { signal }))
  const [isLinking, setLinking] = useState(false)
  const [removed, setRemoved] = useState<Identity>()
  if (!sso && !identities.data?.length) return null
  return (
    <Card title={account.identities} note={account.identitiesNote}>
      <Answer read={identities}>
        {list => (
          <ul className={css.rows}>
            {list.map(identity => (
              <li key={identity.id}>
                <div>
                  <bdi>{hostOf(identity.issuer)}</bdi> · <bdi>{identity.subject}</bdi>
                  <p>
                    {account.addedAt(time(identity.created_at))} ·{' '}
                    {identity.last_used_at ? account.usedAt(time(identity.last_used_at)) : account.neverUsed}
                  </p>
                </div>
                <Button
                  kind="danger"
                  aria-label={`${account.remove}: ${identity.subject}`}
                  onClick={() => setRemoved(identity)}
                >
                  {account.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {sso && <Button onClick={() => setLinking(true)}>{account.linkWith(sso.name)}</Button>}
      {sso && isLinking && <LinkIdentity name={sso.name} onClose={() => setLinking(false)} />}
      {removed && <RemoveIdentity identity={removed} onClose={() => setRemoved(undefined)} />}
    </Card>
  )
}

const hostOf = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).host : issuer)

function LinkIdentity({ name, onClose }: { name: string; onClose(): void }) {
  const { account } = useText()
  const link = useChange((password: string | undefined) =>
    api.identities.link.mutate({ password, return_to: '/account/security' }),
  )
  return (
    <ProofDialog
      title={account.linkWith(name)}
      send={account.goOn}
      change={link}
      onDone={({ url }) => location.assign(url)}
      onClose={onClose}
    >
      <p>{account.linkNote}</p>
    </ProofDialog>
  )
}

function RemoveIdentity({ identity, onClose }: { identity: Identity; onClose(): void }) {
  const { account } = useText()
  const remove = useChange(
    (password: string | undefined) => api.identities.remove.mutate({ id: identity.id, password }),
    [IDENTITIES],
  )
  return (
    <ProofDialog
      title={account.removeIdentity}
      send={account.remove}
      kind="danger"
      change={remove}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{account.removeIdentityNote}</p>
    </ProofDialog>
  )
}
