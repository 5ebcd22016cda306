import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { PERSON, usePerson } from '../../app/person/person.tsx'
import { ProofDialog } from '../../app/person/proof.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SetUpApp } from './set-up-app.tsx'

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
    (password?: string) => api.account.renewRecoveryCodes.mutate({ password }),
    [PERSON],
  )
  const remove = useChange(
    (password?: string) => api.account.removeTotp.mutate({ password }).then(() => true),
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
          <Button isBusy={propose.isSending} onClick={async () => setProposed(await propose.send(undefined))}>
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
