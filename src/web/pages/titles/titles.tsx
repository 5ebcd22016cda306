import { Empty } from '../../parts/states.tsx'

export default function Titles() {
  return <Empty />
}
