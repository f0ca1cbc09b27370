import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";

interface VirtualListProps {
  count: number;
  /** Height of a row in pixels; all rows have the same, so that 100,000 cost no more than a hundred. */
  rowHeight: number;
  children: (index: number) => ReactNode;
  label: string;
  className?: string;
  /** Stays at the end while more comes, until one scrolls away from it. */
  follow?: boolean;
  onFollow?: (follow: boolean) => void;
  /** Brings a row into view. */
  scrollTo?: number | null;
}

const NEAR = 24; // px from the end that still count as the end

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, follow = false, onFollow, scrollTo } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  useEffect(() => {
    if (follow && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [follow, count, virtual]);
  useEffect(() => {
    if (scrollTo !== null && scrollTo !== undefined) virtual.scrollToIndex(scrollTo, { align: "center" });
  }, [scrollTo, virtual]);
  const onScroll = () => {
    const element = scroller.current;
    if (!element || !onFollow) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    if (atEnd !== follow) onFollow(atEnd);
  };
  return (
    <section
      ref={scroller}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={onScroll}
      className={cn("overflow-auto", props.className)}
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            className="absolute top-0 left-0 min-w-full"
            style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
          >
            {props.children(item.index)}
          </div>
        ))}
      </div>
    </section>
  );
}
