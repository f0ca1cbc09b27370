import { PageHeader } from "@/components/ui/page-header";

export default function NewJobPage() {
  return <PageHeader title="New job" />;
}
