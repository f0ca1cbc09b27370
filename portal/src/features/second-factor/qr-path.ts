/** The dark modules of a QR code as one path, a run of each row at a time; `rows` are its modules, 1 for dark. */
export function qrPath(rows: string[]): string {
  return rows
    .flatMap((row, y) =>
      Array.from(row.matchAll(/1+/g), ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join("");
}
