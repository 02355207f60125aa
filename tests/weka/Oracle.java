// Runs WEKA's J48 over many jobs in one JVM. Standard input: one job per line, tab-separated:
// ARFF file, class position, folds, seed, J48's options. Standard output: one JSON line per job.

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Random;
import weka.classifiers.Evaluation;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;

public class Oracle {
    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String job = jobs.readLine(); job != null; job = jobs.readLine()) {
            String[] fields = job.split("\t", -1);
            Instances data = new Instances(new BufferedReader(new FileReader(fields[0])));
            data.setClassIndex(Integer.parseInt(fields[1]));
            out.println(run(data, Integer.parseInt(fields[2]), Long.parseLong(fields[3]), fields[4]));
        }
    }

    static String run(Instances data, int folds, long seed, String options) {
        StringBuilder result = new StringBuilder("{");
        try {
            J48 tree = classifier(options);
            tree.buildClassifier(data);
            String[] text = tree.toString().split("------------------\n", 2);
            String drawn = text[1].substring(0, text[1].indexOf("\n\nNumber of Leaves"));
            Evaluation train = new Evaluation(data);
            train.evaluateModel(tree, data);
            result.append("\"tree\": ").append(quoted(drawn));
            result.append(", \"leaves\": ").append((int) tree.measureNumLeaves());
            result.append(", \"size\": ").append((int) tree.measureTreeSize());
            result.append(", \"train_correct\": ").append((int) train.correct());
            result.append(", \"distribution\": ").append(quoted(digest(tree, data)));
        } catch (Exception error) {
            return result.append("\"error\": ").append(quoted(error.getMessage())).append("}").toString();
        }
        try {
            Evaluation crossed = new Evaluation(data);
            crossed.crossValidateModel(classifier(options), data, folds, new Random(seed));
            result.append(", \"cv_correct\": ").append((int) crossed.correct());
            result.append(", \"cv_unclassified\": ").append((int) crossed.unclassified());
            result.append(", \"cv_confusion\": ").append(matrix(crossed.confusionMatrix()));
        } catch (Exception error) {
            result.append(", \"cv_error\": ").append(quoted(error.getMessage()));
        }
        return result.append("}").toString();
    }

    static J48 classifier(String options) throws Exception {
        J48 tree = new J48();
        tree.setOptions(Utils.splitOptions(options));
        return tree;
    }

    /** The class probabilities of the training instances, all their bits, as the start of a SHA-256. */
    static String digest(J48 tree, Instances data) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < data.numInstances(); i++) {
            for (double probability : tree.distributionForInstance(data.instance(i))) {
                digest.update(ByteBuffer.allocate(8).putDouble(probability).array());
            }
        }
        return String.format("%064x", new BigInteger(1, digest.digest())).substring(0, 16);
    }

    static String matrix(double[][] counts) {
        StringBuilder rows = new StringBuilder();
        for (double[] row : counts) {
            StringBuilder cells = new StringBuilder();
            for (double cell : row) {
                cells.append(cells.length() > 0 ? ", " : "").append((int) cell);
            }
            rows.append(rows.length() > 0 ? ", " : "").append("[").append(cells).append("]");
        }
        return "[" + rows + "]";
    }

    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : String.valueOf(text).trim().toCharArray()) {
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ') {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append("\"").toString();
    }
}
