// Times WEKA's J48 in one JVM. Arguments: how many seconds to warm up, how many repeats, J48's options in one word
// (or an empty one), then ARFF files, each with "," and the class's position behind it. Prints the milliseconds of
// the best repeat of each file, one per line.

import java.io.BufferedReader;
import java.io.FileReader;
import java.util.Locale;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;

public class J48Timing {
    public static void main(String[] arguments) throws Exception {
        long warm = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        int repeats = Integer.parseInt(arguments[1]);
        String options = arguments[2];
        Instances[] data = new Instances[arguments.length - 3];
        for (int i = 0; i < data.length; i++) {
            int comma = arguments[i + 3].lastIndexOf(',');
            String file = arguments[i + 3].substring(0, comma);
            data[i] = new Instances(new BufferedReader(new FileReader(file)));
            data[i].setClassIndex(Integer.parseInt(arguments[i + 3].substring(comma + 1)));
        }
        while (System.nanoTime() < warm) {
            for (Instances one : data) {
                milliseconds(one, options);
            }
        }
        for (Instances one : data) {
            double best = Double.POSITIVE_INFINITY;
            for (int i = 0; i < repeats; i++) {
                best = Math.min(best, milliseconds(one, options));
            }
            System.out.println(String.format(Locale.ROOT, "%.4f", best));
        }
    }

    static double milliseconds(Instances data, String options) throws Exception {
        long started = System.nanoTime();
        J48 tree = new J48();
        tree.setOptions(Utils.splitOptions(options));
        tree.buildClassifier(data);
        return (System.nanoTime() - started) / 1e6;
    }
}
