import { useState } from 'react'
import { encode } from 'uqr'
import { api, type Inputs, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, usePerson } from '../../app/person/person.tsx'
import { ProofDialog, ProofField } from '../../app/person/proof.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/code-block.tsx'
import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { FailureNote, Notice } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

const FEW_CODES = 3

type Shown = 'codes' | 'remove'

/** The code of an authenticator app beside the password, with the recovery codes for the day that the app is lost. */
export function SecondFactor() {
  const { account } = useText()
  const { has_totp, recovery_codes } = usePerson()
  const { exact } = usePlainFormat()
  const [shown, setShown] = useState<Shown>()
  const [codes, setCodes] = useState<string[]>()
  const [proposed, setProposed] = useState<Outputs['account']['proposeTotp']>()
  // A secret of its own each time; it is not stored before the app has proved that it has it.
  const propose = useChange(() => api.account.proposeTotp.mutate())
  const renew = useChange(
    (password: string | undefined) => api.account.renewRecoveryCodes.mutate({ password }),
    [PERSON],
  )
  const remove = useChange(
    (password: string | undefined) => api.account.removeTotp.mutate({ password }),
    [PERSON],
  )
  const close = () => {
    setShown(undefined)
    setProposed(undefined)
    renew.forgetFailure()
    remove.forgetFailure()
  }
  const showCodes = (made: { recovery_codes: string[] }) => {
    close()
    setCodes(made.recovery_codes)
  }
  const tag = has_totp ? `${css.tag} ${css.good}` : css.tag
  return (
    <Card
      title={account.secondFactor}
      action={<span className={tag}>{has_totp ? account.on : account.off}</span>}
      note={account.secondFactorNote}
    >
      <div className={css.stack}>
        {has_totp && <p>{account.codesLeft(exact(recovery_codes))}</p>}
        {has_totp && recovery_codes < FEW_CODES && <Notice isProblem>{account.fewCodes}</Notice>}
        <div className={css.line}>
          <Button isBusy={propose.isSending} onClick={async () => setProposed(await propose.send())}>
            {has_totp ? account.otherApp : account.setUpApp}
          </Button>
          {has_totp && <Button onClick={() => setShown('codes')}>{account.newCodes}</Button>}
          {has_totp && (
            <Button kind="danger" onClick={() => setShown('remove')}>
              {account.removeFactor}
            </Button>
          )}
        </div>
      </div>
      {propose.failure && <FailureNote failure={propose.failure} />}
      {proposed && <SetUpApp proposed={proposed} onDone={showCodes} onClose={close} />}
      {shown === 'codes' && (
        <ProofDialog
          title={account.newCodes}
          send={account.newCodes}
          change={renew}
          onDone={showCodes}
          onClose={close}
        >
          <p>{account.newCodesNote}</p>
        </ProofDialog>
      )}
      {shown === 'remove' && (
        <ProofDialog
          title={account.removeFactor}
          send={account.removeFactor}
          kind="danger"
          change={remove}
          onDone={close}
          onClose={close}
        >
          <p>{account.removeFactorNote}</p>
        </ProofDialog>
      )}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  )
}

type Added = Outputs['account']['addTotp']

interface Props {
  proposed: Outputs['account']['proposeTotp']
  onDone(added: Added): void
  onClose(): void
}

/** Gives the secret to an authenticator app, and takes its first code. */
function SetUpApp({ proposed, onDone, onClose }: Props) {
  const { account } = useText()
  return (
    <Dialog open title={account.setUpApp} onClose={onClose}>
      <Enter {...proposed} onDone={onDone} />
    </Dialog>
  )
}

function Enter({ secret, uri, onDone }: Props['proposed'] & Pick<Props, 'onDone'>) {
  const { account } = useText()
  const add = useChange((input: Inputs['account']['addTotp']) => api.account.addTotp.mutate(input), [PERSON])
  const send = async ({ code = '', password }: Record<string, string>) => {
    const added = await add.send({ secret, code: code.replaceAll(' ', ''), password })
    if (added) onDone(added)
  }
  return (
    <div className={css.stack}>
      <p>{account.scan}</p>
      <QrCode text={uri} label={account.qrCode} />
      <div className={css.line}>
        <code className={css.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={secret} />
        <a href={uri}>{account.openApp}</a>
      </div>
      <Form send={account.turnOn} onSend={send} isSending={add.isSending} failure={add.failure}>
        <TextField
          label={account.code}
          hint={account.codeHint}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={64}
        />
        <ProofField />
      </Form>
    </div>
  )
}

/** A text as a picture that a phone reads. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      className={css.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path.join('')} />
    </svg>
  )
}

/** New recovery codes, shown for the only time. */
function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const { account } = useText()
  const text = codes.join('\n')
  return (
    <Dialog open title={account.recoveryCodes} onClose={onClose}>
      <div className={css.stack}>
        <p>{account.keepCodes}</p>
        <ul className={css.codes} aria-label={account.recoveryCodes}>
          {codes.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={css.line}>
          <CopyButton text={text} />
          <ButtonLink
            download="recovery-codes.txt"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          >
            {account.saveCodes}
          </ButtonLink>
          <Button kind="main" onClick={onClose}>
            {account.codesKept}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
