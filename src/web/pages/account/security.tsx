import { useMethods } from '../../app/person/methods.ts'
import { Answer } from '../../parts/answer.tsx'
import css from './account.module.css'
import { Identities } from './identities.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'

/** Ways to sign in; the service may offer only some of them. */
export function Security() {
  const methods = useMethods()
  return (
    <Answer read={methods}>
      {offered => (
        <div className={css.stack}>
          {offered.password && <Password />}
          {offered.password && <SecondFactor />}
          <Passkeys isOffered={offered.passkeys} />
          <Identities sso={offered.single_sign_on} />
        </div>
      )}
    </Answer>
  )
}
