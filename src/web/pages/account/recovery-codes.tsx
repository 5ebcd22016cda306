import { Button, ButtonLink } from '../../parts/form/button.tsx'
import { CopyButton } from '../../parts/form/copy-button.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

/** New recovery codes, shown for the only time. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
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
