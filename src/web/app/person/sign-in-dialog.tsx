import { useEffect } from 'react'
import { api } from '../../api/client.ts'
import { endQuestion } from '../../api/session.ts'
import { queries } from '../../api/use-read.ts'
import { LoginForm, offersPasskeys, PasskeyButton, Ways } from '../../pages/auth/ways.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Answer } from '../../parts/states.tsx'
import { addressOf } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './person.module.css'
import { useMethods } from './signing.ts'

/** Signs the person in again. The page of another person is loaded anew: nothing of the first one is sent as the second. */
export default function SignInDialog({ loginId }: { loginId: string }) {
  const { auth } = useText()
  const methods = useMethods()
  const goOn = async () => {
    const { id } = await api.account.get.query()
    if (id !== loginId) location.reload()
    endQuestion(true)
    void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  }
  useEffect(() => {
    // The person may have signed in in another tab.
    const look = () => void goOn().catch(() => undefined)
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  })
  return (
    <Dialog open title={auth.signedOut} onClose={() => endQuestion(false)}>
      <p className={css.lead}>{auth.signedOutHint}</p>
      <Answer read={methods}>
        {offered => (
          <>
            {offered.password && <LoginForm onDone={goOn} />}
            <Ways>
              {offersPasskeys(offered) && <PasskeyButton onDone={goOn} />}
              <a href={addressOf('/login')} target="_blank" rel="noreferrer">
                {auth.otherTab}
              </a>
            </Ways>
          </>
        )}
      </Answer>
    </Dialog>
  )
}
