// What Java's SimpleDateFormat makes of dates, as WEKA uses it: not lenient, here in UTC and in English, with the
// hundred years of two-digit years starting on a fixed day. Standard input: one pattern and one text per line,
// tab-separated. Standard output: the milliseconds, or "-" for no date (or if text is left over).

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

public class Dates {
    static final long CENTURY_START = -729648000000L; // 1946-11-18

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Locale.setDefault(Locale.ENGLISH);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split("\t", 2);
            System.out.println(parsed(fields[0], fields[1]));
        }
    }

    static String parsed(String pattern, String text) {
        SimpleDateFormat format = new SimpleDateFormat(pattern);
        format.setLenient(false);
        format.set2DigitYearStart(new Date(CENTURY_START));
        ParsePosition position = new ParsePosition(0);
        Date date = format.parse(text, position);
        return date == null || position.getIndex() < text.length() ? "-" : Long.toString(date.getTime());
    }
}
