import { Empty } from '../../parts/states.tsx'

export default function Login() {
  return <Empty />
}
