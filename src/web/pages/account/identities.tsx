import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { ProofDialog } from '../../app/person/proof.tsx'
import type { Methods } from '../../app/person/signing.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { useText } from '../../text/text.tsx'
import { Credentials } from './credentials.tsx'

type Identity = Outputs['identities']['list'][number]

const IDENTITIES = ['identities'] as const

/** Links to single sign-on; nothing where the service has none and the login no link. */
export function Identities({ sso }: { sso: Methods['single_sign_on'] }) {
  const { account } = useText()
  const identities = useRead(IDENTITIES, signal => api.identities.list.query(undefined, { signal }))
  const [isLinking, setLinking] = useState(false)
  const [removed, setRemoved] = useState<Identity>()
  if (!sso && !identities.data?.length) return null
  return (
    <Card title={account.identities} note={account.identitiesNote}>
      <Credentials<Identity> read={identities} nameOf={({ subject }) => subject} onRemove={setRemoved}>
        {({ issuer, subject }) => (
          <>
            <bdi>{hostOf(issuer)}</bdi> · <bdi>{subject}</bdi>
          </>
        )}
      </Credentials>
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
