import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { addPasskey, canUsePasskeys } from '../../api/passkeys.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { PERSON } from '../../app/person/person.tsx'
import { ProofDialog, ProofField } from '../../app/person/proof.tsx'
import { Card } from '../../parts/card.tsx'
import { Editor } from '../../parts/editor.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { useText } from '../../text/text.tsx'
import { Credentials } from './credentials.tsx'

type Passkey = Outputs['passkeys']['list'][number]

const PASSKEYS = ['passkeys'] as const

/** Passkeys of the person, also where the service offers none any more: they can still be removed. */
export function Passkeys({ isOffered }: { isOffered: boolean }) {
  const { account } = useText()
  const passkeys = useRead(PASSKEYS, signal => api.passkeys.list.query(undefined, { signal }))
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey>()
  const canAdd = isOffered && canUsePasskeys()
  return (
    <Card title={account.passkeys} note={canAdd ? account.passkeysNote : account.noPasskeys}>
      <Credentials<Passkey> read={passkeys} nameOf={({ name }) => name} onRemove={setRemoved}>
        {({ name }) => <bdi>{name}</bdi>}
      </Credentials>
      {canAdd && <Button onClick={() => setAdding(true)}>{account.addPasskey}</Button>}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      {removed && <RemovePasskey passkey={removed} onClose={() => setRemoved(undefined)} />}
    </Card>
  )
}

function AddPasskey({ onClose }: { onClose(): void }) {
  const { account } = useText()
  const add = useChange(
    ({ name, password }: { name: string; password: string | undefined }) => addPasskey(name, { password }),
    [PERSON, PASSKEYS],
  )
  return (
    <Editor
      title={account.addPasskey}
      send={account.addPasskey}
      change={add}
      inputOf={({ name = '', password }) => ({ name, password })}
      // The browser says why, or the person has stopped it.
      problem={add.failure?.kind === 'unknown' ? account.passkeyNotMade : undefined}
      onClose={onClose}
    >
      <TextField
        label={account.passkeyName}
        hint={account.passkeyNameHint}
        name="name"
        required
        maxLength={100}
      />
      <ProofField />
    </Editor>
  )
}

function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { account } = useText()
  const remove = useChange(
    (password: string | undefined) => api.passkeys.remove.mutate({ id: passkey.id, password }),
    [PERSON, PASSKEYS],
  )
  return (
    <ProofDialog
      title={account.removePasskey}
      send={account.remove}
      kind="danger"
      change={remove}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{account.removePasskeyNote(passkey.name)}</p>
    </ProofDialog>
  )
}
